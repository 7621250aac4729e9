"""Effects from methods, verbs, texts and annotations; doubt counts as unsafe."""

import pytest

from spm.registry.catalog.effects import of_annotations, of_function, of_operation


@pytest.mark.parametrize(
    ("method", "path", "name", "text", "effects"),
    [
        # The method alone.
        ("GET", "/orders/{id}", "getOrder", "Get an order", "read"),
        ("head", "/orders/{id}", "", "", "read"),
        ("POST", "/orders", "createOrder", "Create an order", "write"),
        ("PATCH", "/orders/{id}", "", "", "write"),
        ("DELETE", "/orders/{id}", "", "", "destructive"),
        ("PURGE", "/cache", "", "", "destructive"),
        # Verbs of the name's last part, of the path's tail, of the first words.
        ("POST", "/auth.revoke", "auth_revoke", "", "destructive"),
        ("POST", "/orders/{id}/cancel", "orderAction", "", "destructive"),
        ("POST", "/orders/{id}:cancel", "", "", "destructive"),
        ("POST", "/orders/{id}/cancel.json", "", "", "destructive"),
        ("POST", "/orders/{id}/cancellation", "", "", "destructive"),
        ("POST", "/orders/{id}/act", "act", "Permanently deletes the order.", "destructive"),
        ("POST", "/files", "tidy", "Archives or deletes a file.", "destructive"),
        ("POST", "/files", "batch", "Create, update, or delete files.", "destructive"),
        ("POST", "/files", "file", "Create a file or completely overwrite it.", "destructive"),
        ("POST", "/files", "search", "Search charges, refunds and labels.", "read"),
        ("POST", "/files", "tidy", "This endpoint removes old files.", "destructive"),
        ("POST", "/refunds", "PostRefunds", "Create a refund.", "destructive"),
        ("POST", "/refunds/{id}", "PostRefundsId", "Updates a refund.", "write"),
        ("PUT", "/members/{id}", "convert-member-to-guest", "", "destructive"),
        ("POST", "/keys/{id}/rotate", "rotate_key", "Rotate a key", "destructive"),
        ("POST", "/keys/{id}/reissue", "", "Reissue a key", "destructive"),
        ("POST", "/accounts/{id}/close", "closeAccount", "Close an account", "destructive"),
        ("POST", "/tickets/{id}/close", "closeTicket", "Close a ticket", "write"),
        ("POST", "/teams/{id}/disband", "", "", "destructive"),
        ("POST", "/contracts/{id}/annulment", "", "", "destructive"),
        ("POST", "/environments/{id}/teardown", "", "", "destructive"),
        ("POST", "/students/{id}/unenroll", "", "", "destructive"),
        ("POST", "/servers/{id}/reinstall", "", "Reinstall the system", "destructive"),
        # Of a DELETE that no word calls destructive its text says what is switched off or marked.
        ("DELETE", "/tickets/{id}/subscription", "", "Unsubscribe from a ticket", "write"),
        ("DELETE", "/sites/{id}/notices", "", "Switch off notices of outages", "write"),
        ("DELETE", "/sites/{id}/access", "", "Switch off access of a guest", "destructive"),
        ("DELETE", "/todos/{id}", "", "Mark a todo as done", "write"),
        ("DELETE", "/todos/{id}", "", "Mark a todo for deletion", "destructive"),
        ("DELETE", "/runners/{id}", "", "Disable a runner", "write"),
        ("DELETE", "/users/{id}", "", "Disable a user", "destructive"),
        ("DELETE", "/tickets/{id}/watchers", "", "Deletes a watcher of a ticket", "write"),
        ("DELETE", "/subscriptions/{id}", "", "", "destructive"),
        # What is created may have a verb in its name; participles say what was done before.
        ("POST", "/runners/remove-token", "create-remove-token", "Create a remove token", "write"),
        ("GET", "/files/deleted", "list-deleted", "Lists deleted files", "read"),
        ("POST", "/reviews/{id}/approve", "approve", "Approves it, and removing it", "write"),
        # A GET that changes, and one whose nouns look like verbs.
        ("GET", "/auth.revoke", "auth_revoke", "Revokes a token.", "destructive"),
        ("GET", "/views.open", "views_open", "Open a view for a user.", "write"),
        ("GET", "/", "GET_TerminateInstances", "", "destructive"),
        ("GET", "/refunds", "GetRefunds", "Returns a list of refunds.", "read"),
        ("GET", "/refunds/{id}", "GetRefund", "", "read"),
        ("GET", "/reports", "reports", "Reports of a team", "read"),
        ("GET", "/orders/{id}/cancel", "", "", "destructive"),
        ("GET", "/orders/{id}/cancel", "", "Get the form by which to cancel", "read"),
        # A POST reads only with a sure verb and without a changing one.
        ("POST", "/orders/search", "", "", "read"),
        ("POST", "/orders", "searchOrders", "Search orders", "read"),
        ("POST", "/notifications/{id}/read", "", "", "write"),
        ("POST", "/orders", "getOrCreateOrder", "", "write"),
        ("POST", "/lists", "createList", "Create a list", "write"),
        ("POST", "/accounts/{id}/links", "", "Retrieve a link, or make it.", "write"),
        # Taken off, switched off, undone: nothing is lost. People, access and keys are.
        ("DELETE", "/issues/{n}/labels/{name}", "issues/remove-label", "Remove a label", "write"),
        ("DELETE", "/issues/{n}/labels", "issues/remove-all-labels", "", "destructive"),
        ("DELETE", "/issues/{n}/assignees", "issues/remove-assignees", "", "destructive"),
        ("DELETE", "/repos/{r}/labels/{name}", "delete-label", "Delete a label", "destructive"),
        ("DELETE", "/gists/{id}/star", "gists/unstar", "Unstar a gist", "write"),
        ("DELETE", "/comments/{id}/reactions/{r}", "", "", "write"),
        ("DELETE", "/repos/{r}/alerts", "disable-alerts", "Disable alerts", "write"),
        ("DELETE", "/teams/{id}/members/{user}", "remove-member", "", "destructive"),
        ("DELETE", "/apps/{id}/keys/{key}", "", "", "destructive"),
        ("POST", "/pins.remove", "pins_remove", "Un-pins an item.", "write"),
        ("POST", "/rooms.unarchive", "rooms_unarchive", "Reverses archival.", "write"),
    ],
)  # fmt: skip
def test_effects_of_operations(method, path, name, text, effects):
    found = of_operation(method, path, name, text)
    assert found.effects == effects, found.reason
    assert found.reason


@pytest.mark.parametrize(
    "text",
    [
        "Closes the dispute. This cannot be undone.",
        "Closing is <b>irreversible</b>.",
        "Its data can't be recovered.",
        "The account is permanently closed.",
    ],
)
def test_irreversible_texts_destroy(text):
    assert of_operation("POST", "/disputes/{id}/close", "", "", text).effects == "destructive"
    assert of_function("close_dispute", "", text).effects == "destructive"
    assert of_operation("GET", "/disputes/{id}", "", "A dispute", text[9:]).effects == "read"


@pytest.mark.parametrize(
    ("text", "effects"),
    [
        ("Merges two customers. The second one is deleted.", "destructive"),
        ("Restores a backup. All current data will be lost.", "destructive"),
        ("Sets columns. If none are sent, all columns are removed.", "write"),
        ("Sets columns. Files that are not named are never deleted.", "write"),
    ],
)
def test_what_a_text_says_is_lost_is_destroyed(text, effects):
    assert of_operation("POST", "/things", "", "", text).effects == effects


@pytest.mark.parametrize(
    ("name", "text", "effects"),
    [
        ("get_order", "", "read"),
        ("listOrders", "", "read"),
        ("get_reset_token", "", "read"),
        ("is_open", "", "read"),
        ("github_list_repos", "", "read"),
        ("orders.find", "", "read"),
        ("issue_read", "", "read"),
        ("forecast", "Get the weather of a city.", "read"),
        ("checkout_cart", "", "write"),
        ("mark_as_read", "", "write"),
        ("run_query", "", "write"),
        ("message_list", "", "read"),
        ("send_email", "", "write"),
        ("get_or_create_user", "", "write"),
        ("fetch_and_update", "", "write"),
        ("fetch_mail", "Fetches mail and marks it as read.", "write"),
        ("inbox", "Fetch mail and archive it.", "write"),
        ("frobnicate", "", "write"),
        ("…", "", "write"),
        ("delete_order", "", "destructive"),
        ("git_reset", "", "destructive"),
        ("github_delete_repo", "", "destructive"),
        ("tidy", "Removes old files.", "destructive"),
        ("get_mail", "Fetches a mail and deletes it.", "destructive"),
        ("get_all", "Deletes all files.", "destructive"),
        ("get_refunds", "Refunds of an order.", "read"),
        ("remove_star", "", "write"),
        ("request_leave_form", "", "write"),
    ],
)
def test_effects_of_functions(name, text, effects):
    found = of_function(name, "", text)
    assert found.effects == effects, found.reason


@pytest.mark.parametrize(
    ("hints", "name", "effects", "reason"),
    [
        ({"readOnlyHint": True}, "report", "read", "readOnlyHint"),
        ({"readOnlyHint": True}, "run_query", "read", "readOnlyHint"),
        ({"readOnlyHint": True}, "delete_x", "destructive", "despite readOnlyHint"),
        ({"readOnlyHint": True}, "update_x", "write", "despite readOnlyHint"),
        ({"readOnlyHint": False}, "create_x", "destructive", "destructiveHint is true by default"),
        ({"openWorldHint": True}, "get_x", "destructive", "destructiveHint is true by default"),
        ({"destructiveHint": True}, "get_x", "destructive", "destructiveHint"),
        ({"destructiveHint": False}, "create_x", "write", "destructiveHint false"),
        ({"destructiveHint": False}, "remove_label", "destructive", "despite destructiveHint"),
        ({"destructiveHint": False}, "remove_star", "write", "destructiveHint false"),
        ({"destructiveHint": False}, "delete_x", "destructive", "despite destructiveHint"),
    ],
)
def test_annotations_have_the_protocols_defaults_and_names_may_contradict(
    hints, name, effects, reason
):
    found = of_annotations(hints, name)
    assert (found.effects, reason in found.reason) == (effects, True), found.reason


def test_reasons_say_what_decided():
    assert of_operation("DELETE", "/orders/{id}").reason == "DELETE"
    assert of_operation("POST", "/x", "auth.revoke").reason == "verb 'revoke' in the name"
    assert of_operation("GET", "/x.open", "", "Open a x").reason.endswith("despite GET")
    assert "cannot be undone" in of_operation("POST", "/x", "", "", "It cannot be undone.").reason
    assert of_function("frobnicate").reason == "nothing says that it only reads"
