"""Why nothing is changed in a request, in words that bills and summaries share."""

NOTHING_STALE = "nothing went stale"
NOTES_ONLY = "nothing is to be changed"
NOT_ALLOWED = "what was sent may not be changed"
NOT_YET = "it does not pay yet"
LATE = "it was done too late"
