"""Bookings of meeting rooms, with flask-smorest: the application that ../app.ts is a port of."""

import copy
import enum
import itertools

import marshmallow as ma
from flask import Flask
from flask.views import MethodView
from flask_smorest import Api, Blueprint, Page, abort


class Status(enum.Enum):
    TENTATIVE = "tentative"
    CONFIRMED = "confirmed"


class AddressSchema(ma.Schema):
    street = ma.fields.Str(required=True)
    city = ma.fields.Str(required=True)


class ContactSchema(ma.Schema):
    name = ma.fields.Str(required=True, validate=ma.validate.Length(1, 50))
    email = ma.fields.Email()
    address = ma.fields.Nested(AddressSchema, allow_none=True)


class BookingSchema(ma.Schema):
    id = ma.fields.Int(dump_only=True)
    room = ma.fields.Str(required=True, validate=ma.validate.OneOf(["Oslo", "Rome"]))
    starts = ma.fields.NaiveDateTime(required=True)
    ends = ma.fields.NaiveDateTime(required=True)
    guests = ma.fields.Int(load_default=1, validate=ma.validate.Range(1, 20, error="A room has 1 to 20 seats."))
    status = ma.fields.Enum(Status, by_value=True, load_default=Status.TENTATIVE)
    contact = ma.fields.Nested(ContactSchema, required=True)

    @ma.validates_schema
    def validate_order(self, data, **kwargs):
        if "starts" in data and "ends" in data and data["ends"] <= data["starts"]:
            raise ma.ValidationError("Must be after starts.", "ends")


class BookingQuerySchema(ma.Schema):
    room = ma.fields.Str()
    since = ma.fields.NaiveDateTime()


blp = Blueprint("bookings", "bookings", url_prefix="/bookings", description="Bookings of rooms")
bookings = {}
ids = itertools.count(1)


def get_or_404(booking_id):
    return bookings.get(booking_id) or abort(404, message="No such booking.")


def check_free(booking):
    for other in bookings.values():
        if other["id"] != booking["id"] and other["room"] == booking["room"]:
            if other["starts"] < booking["ends"] and booking["starts"] < other["ends"]:
                abort(409, message="The room is taken.")


def merge(base, changes):
    merged = copy.deepcopy(base)
    for key, value in changes.items():
        inner = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = merge(merged[key], value) if inner else value
    return merged


@blp.route("/")
class Bookings(MethodView):
    @blp.arguments(BookingQuerySchema, location="query")
    @blp.response(200, BookingSchema(many=True))
    @blp.paginate(Page)
    def get(self, args):
        """List bookings"""
        found = [b for b in bookings.values() if args.get("room") in (None, b["room"])]
        return sorted((b for b in found if "since" not in args or b["starts"] >= args["since"]), key=lambda b: b["starts"])

    @blp.arguments(BookingSchema)
    @blp.response(201, BookingSchema)
    def post(self, booking):
        """Book a room"""
        booking["id"] = None
        check_free(booking)
        booking["id"] = next(ids)
        bookings[booking["id"]] = booking
        return booking


@blp.route("/<int:booking_id>")
class BookingById(MethodView):
    @blp.response(200, BookingSchema)
    def get(self, booking_id):
        """Find a booking"""
        return get_or_404(booking_id)

    @blp.arguments(BookingSchema(partial=True))
    @blp.response(200, BookingSchema)
    def patch(self, changes, booking_id):
        """Change a booking, as deep as is said"""
        booking = merge(get_or_404(booking_id), changes)
        if booking["ends"] <= booking["starts"]:
            abort(422, errors={"json": {"ends": ["Must be after starts."]}})
        check_free(booking)
        bookings[booking_id] = booking
        return booking

    @blp.response(204)
    def delete(self, booking_id):
        """Cancel a booking"""
        get_or_404(booking_id)
        del bookings[booking_id]


def create_app():
    app = Flask(__name__)
    app.config.update(API_TITLE="Bookings", API_VERSION="1", OPENAPI_VERSION="3.0.3")
    app.json.sort_keys = False
    bookings.clear()
    Api(app).register_blueprint(blp)
    return app
