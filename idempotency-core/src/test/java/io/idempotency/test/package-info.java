/**
 * What the tests of all modules share: a real PostgreSQL, fresh databases on it, and tools to provoke races and
 * failures and to count what goes over the wire. Published inside the project as a test-jar, never to users.
 */
package io.idempotency.test;
