package io.idempotency.internal.postgres.request;

import java.util.Locale;

import io.idempotency.RequestStatus;

/** The texts of the column {@code status} and the statuses that they stand for. */
final class StatusColumn {

    private StatusColumn() {}

    static String textOf(RequestStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    static RequestStatus statusOf(String text) {
        for (RequestStatus known : RequestStatus.values()) {
            if (textOf(known).equals(text)) {
                return known;
            }
        }
        throw new IllegalStateException("The request status '" + text
                + "' is not known to this version of the library: upgrade every application that shares the database");
    }
}
