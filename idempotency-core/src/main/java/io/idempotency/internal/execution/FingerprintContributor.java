package io.idempotency.internal.execution;

import java.lang.reflect.Method;
import java.util.List;

/** Tells what belongs to the payload of a call beside its arguments, because the method answers something as a whole. */
@FunctionalInterface
public interface FingerprintContributor {

    /**
     * Looks at what the running thread is answering.
     *
     * @param method that is called
     * @return what has to be equal when the key comes back; empty if the arguments are all
     */
    List<String> of(Method method);
}
