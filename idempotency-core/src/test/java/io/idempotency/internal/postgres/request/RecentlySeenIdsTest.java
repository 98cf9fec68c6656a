package io.idempotency.internal.postgres.request;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecentlySeenIdsTest {

    private final RecentlySeenIds ids = new RecentlySeenIds();

    @Test
    void containWhatWasAdded() {
        UUID id = UUID.randomUUID();
        assertThat(ids.contains(id)).isFalse();

        ids.add(id);

        assertThat(ids.contains(UUID.fromString(id.toString()))).isTrue();
    }

    @Test
    void forgetOneForAnotherInTheSamePlace() {
        UUID first = new UUID(1, 7);
        UUID second = new UUID(2, 7);

        ids.add(first);
        ids.add(second);

        assertThat(ids.contains(first)).isFalse();
        assertThat(ids.contains(second)).isTrue();
    }

    @Test
    void keepMostOfAThousand() {
        List<UUID> thousand = Stream.generate(UUID::randomUUID).limit(1_000).toList();

        thousand.forEach(ids::add);

        assertThat(thousand.stream().filter(ids::contains)).hasSizeGreaterThan(800);
    }
}
