package io.idempotency.sample.projections;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The generations of a projection that are kept up to date.
 *
 * @param serving the one that answers
 * @param building the one that is being built to take its place
 */
record Generations(int serving, @Nullable Integer building) {

    List<Integer> all() {
        return Stream.of(serving, building).filter(Objects::nonNull).toList();
    }
}
