"""What the first step's threads tell it."""

from dataclasses import dataclass

from textual.message import Message

from wizard.model.finding import Diagnosis
from wizard.model.machine import Drive, Machine


@dataclass
class Known(Message):
    """The kernel and the tools are known."""

    machine: Machine


@dataclass
class Answered(Message):
    """A drive's probe has answered."""

    drive: Drive
    diagnosis: Diagnosis


@dataclass
class Read(Message):
    """All drives have answered."""

    machine: Machine


@dataclass
class Trouble(Message):
    """Reading went wrong as a whole."""

    sentence: str
