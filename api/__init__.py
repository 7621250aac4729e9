"""The public Python API: one registry, its menus, tools, fields and traces. Use it as `import spm`.

`spm` re-exports what is supported; nothing below `spm.api` is needed by a user.
"""
