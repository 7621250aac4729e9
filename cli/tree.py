"""All commands of `spm` in one tree. A menu does without it: see `main`."""

from spm.cli import (
    agent,
    atlas,
    bench,
    benchserve,
    check,
    cypher,
    dataset,
    demo,
    diff,
    doctor,
    encode,
    eval,
    exchange,
    fields,
    impact,
    mcp,
    menu,
    menus,
    path,
    serve,
    tokens,
    tools,
    traces,
    train,
)
from spm.cli.manners import commands

app = commands()
app.command("menu")(menu.menu)
app.add_typer(menus.app, name="menus")
app.command("diff")(diff.diff)
app.command("check")(check.check)
app.add_typer(tools.app, name="tools")
app.add_typer(traces.app, name="traces")
app.add_typer(fields.app, name="fields")
bench.app.command("serve")(benchserve.serve)
app.add_typer(bench.app, name="bench")
app.add_typer(dataset.app, name="dataset")
app.command("train")(train.train)
app.command("eval")(eval.evaluate)
app.add_typer(agent.app, name="agent")
app.command("mcp")(mcp.mcp)
app.command("path")(path.path)
app.command("cypher")(cypher.cypher)
app.command("impact")(impact.impact)
app.command("atlas")(atlas.atlas)
app.command("export")(exchange.export)
app.command("import")(exchange.import_file)
app.command("serve")(serve.serve)
app.add_typer(tokens.app, name="tokens")
app.command("encode")(encode.encode)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)
