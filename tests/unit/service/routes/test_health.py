"""Whether the service lives and is ready."""


def test_it_lives_and_is_ready(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ok"}


def test_a_store_that_cannot_be_used_is_told_without_its_address(serve, tmp_path):
    file = tmp_path / "secret-place"
    file.mkdir()
    (file / "graph.spm").write_bytes(b"not a graph")
    client = serve(file)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "2"
    assert "secret-place" not in answer.text
    assert client.get("/healthz").status_code == 200
    assert client.post("/v1/menus", json={"request": "x"}).status_code == 503


def test_what_is_not_there_is_a_problem_too(client):
    for answer, status in (
        (client.get("/nowhere"), 404),
        (client.get("/v1/menus"), 405),
    ):
        assert answer.status_code == status
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["next"]
