"""The map: which resources tools act on, take and give, and which tool feeds which."""
