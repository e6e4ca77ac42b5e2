-- Reviews of payment events are the platform's: an event that could not be booked belongs to no tenant yet.
SELECT "tollgate_protect_platform"('payment_event_review');
