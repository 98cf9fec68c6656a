package io.idempotency.sample.webhooks.github;

import java.time.OffsetDateTime;

/** An issue as it was at some time. */
record Issue(String repository, long number, String title, String state, OffsetDateTime updatedAt) {}
