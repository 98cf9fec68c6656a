/** Services that are idempotent, and services that are not. */
package io.idempotency.proof.shop;
