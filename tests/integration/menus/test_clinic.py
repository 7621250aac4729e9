"""Another team registers thirteen operations of a clinic: people are named, ids are looked up."""

from pathlib import Path

import pytest

from spm.registry.importers.detection import read_source
from spm.registry.registry import Registry
from spm.registry.settings import Settings

SPECIFICATION = Path(__file__).parents[2] / "data" / "clinic.yaml"
ROUTES = {
    "Show me the record of patient p-331": ["getPatient"],
    "Book an appointment with a cardiologist for Maria Keller": [
        "searchPatients",
        "listDoctors",
        "listFreeSlots",
        "bookAppointment",
    ],
    "Cancel Maria Keller's appointment": [
        "searchPatients",
        "listAppointments",
        "cancelAppointment",
    ],
    "Cancel appointment a-77": ["cancelAppointment"],
    "Which appointments does Maria Keller have?": ["searchPatients", "listAppointments"],
    "Renew the aspirin prescription of Tom Ruiz": [
        "searchPatients",
        "listPrescriptions",
        "renewPrescription",
    ],
    "Send Tom Ruiz his last invoice": ["searchPatients", "listInvoices", "sendInvoice"],
    "Register Ana Petrov, born 1990-02-01": ["registerPatient"],
    "Get rid of patient p-331's record": ["erasePatient"],
    "Which pediatric doctors are there?": ["listDoctors"],
}


@pytest.fixture(scope="module", params=["embedded", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def clinic(request, tmp_path_factory, encoder):
    place = Settings(str(tmp_path_factory.mktemp("clinic") / "store"))
    if request.param == "neo4j":
        server = request.getfixturevalue("neo4j_server")
        request.getfixturevalue("empty")(server)
        place = server.settings()
    with Registry.open(place) as registry:
        registry.add(read_source(str(SPECIFICATION)))
        registry.encode(encoder)
        yield registry


@pytest.mark.parametrize("asked", ROUTES)
def test_routes_are_what_a_person_expects(clinic, asked):
    assert [tool.partition("/")[2] for tool in clinic.menu(asked).route] == ROUTES[asked]


def test_cancelling_a_record_erases_nothing(clinic):
    for asked in ("Cancel patient p-331", "Stop patient p-331"):
        assert "clinic/erasePatient" not in clinic.menu(asked).route, asked


def test_a_menu_names_the_fields_that_its_plan_takes_from_the_request(clinic):
    """Shown or withheld: what a request gives is read by the schemas of the tools that it means."""
    shown = clinic.menu("Cancel appointment a-77")
    assert shown.route
    assert shown.state == ["appointment_id"]
    withheld = clinic.menu("Frobnicate appointment a-77, would you, or whatever")
    assert not withheld.route
    assert withheld.state in (["appointment_id"], [])
