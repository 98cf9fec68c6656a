/**
 * The application that a scope, a consumer or a topic belongs to, so that two applications with one schema do not share
 * keys and messages by accident.
 */
@NullMarked
package io.idempotency.internal.ownership;

import org.jspecify.annotations.NullMarked;
