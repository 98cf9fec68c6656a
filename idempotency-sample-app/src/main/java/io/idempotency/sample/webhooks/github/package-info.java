/** Events of GitHub: the state of issues. */
@NullMarked
package io.idempotency.sample.webhooks.github;

import org.jspecify.annotations.NullMarked;
