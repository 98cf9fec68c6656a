package io.idempotency.sample.projections;

/** Another rebuild of the same projection began after this one, and takes its place. */
public final class RebuildSupersededException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RebuildSupersededException(String name, int generation) {
        super("Generation " + generation + " of '" + name + "' was given up for a newer one.");
    }
}
