package io.idempotency.internal.call;

import java.lang.reflect.Method;
import java.util.List;

/** Adds to the payload of a call what its arguments do not show, such as method and path of an HTTP request. */
@FunctionalInterface
public interface FingerprintContributor {

    /**
     * Returns the parts of the payload that are not arguments.
     *
     * @return texts that must be equal in a repeat; empty if the arguments are the whole payload
     */
    List<String> of(Method method);
}
