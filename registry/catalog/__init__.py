"""The registered tools: their fields, versions, links, quarantine and lint."""
