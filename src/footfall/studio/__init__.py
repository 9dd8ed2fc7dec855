"""The studio: a web app to arrange clips on a timeline and to steer a character live."""
