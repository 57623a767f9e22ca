from . import Told

TOLD: Told = {}
