"""Eight operations of a help desk, and what a person expects of them."""

from pathlib import Path

SPECIFICATION = Path(__file__).parents[1] / "data" / "help_desk.yaml"
SERVICE = "help-desk"
# What can run before what, through which input.
FEEDS = {
    ("listTickets", "getTicket"): ["ticket_id"],
    ("listTickets", "purgeTicket"): ["ticket_id"],
    ("listTickets", "assignTicket"): ["ticket_id"],
    ("createTicket", "getTicket"): ["ticket_id"],
    ("createTicket", "purgeTicket"): ["ticket_id"],
    ("createTicket", "assignTicket"): ["ticket_id"],
    ("findUser", "createTicket"): ["requester_id"],
    ("findUser", "assignTicket"): ["assignee_id"],
    ("whoIsOnCall", "createTicket"): ["requester_id"],
    ("whoIsOnCall", "assignTicket"): ["assignee_id"],
    ("listTeams", "whoIsOnCall"): ["team_id"],
}
ROUTES = {
    "Show ticket 17": ["getTicket"],
    "Show ticket 98": ["getTicket"],
    "List the open tickets": ["listTickets"],
    "Show the 20 newest tickets": ["listTickets"],
    "Purge ticket 17": ["purgeTicket"],
    "Open a ticket for jane@acme.com about a broken printer": ["findUser", "createTicket"],
    "Assign ticket 8f3 to whoever is on call for the billing team": [
        "listTeams",
        "whoIsOnCall",
        "assignTicket",
    ],
}
# They say nothing about showing, purging or assigning tickets.
TRACES = [
    {
        "request": f"Open a ticket for {name}@acme.com about {what}",
        "steps": ["findUser", "createTicket"],
    }
    for name, what in (("ann", "a slow laptop"), ("bo", "no network"), ("cy", "a lost badge"))
]
