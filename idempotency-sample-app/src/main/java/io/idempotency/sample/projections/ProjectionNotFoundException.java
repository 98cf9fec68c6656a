package io.idempotency.sample.projections;

/** There is no such projection. */
public final class ProjectionNotFoundException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ProjectionNotFoundException(String name) {
        super("There is no projection '" + name + "'.");
    }
}
