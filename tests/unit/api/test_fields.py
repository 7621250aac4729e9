"""The fields of a registry."""


def test_fields_are_listed(shop_registry):
    fields = shop_registry.fields
    assert {row["field"] for row in fields.list()} == set(fields.names())
    unproduced = fields.list(unproduced=True)
    assert 0 < len(unproduced) < len(fields.names())


def test_fields_are_suggested_merged_and_split(empty, manifest):
    empty.register(
        manifest("mail", find=(["user_name"], ["mail_address"]), send=(["email_address"], ["sent"]))
    )
    (best, *_) = empty.fields.suggest(count=1, minimum=0.0)
    assert (best.output, best.input) == ("mail_address", "email_address")
    assert empty.path("find", "send") == []
    empty.fields.merge("mail_address", "email_address", by="ann")
    assert [hop.target for hop in empty.path("find", "send")[0].hops] == ["mail/send"]
    empty.fields.split("mail_address", "email_address")
    assert empty.path("find", "send") == []
