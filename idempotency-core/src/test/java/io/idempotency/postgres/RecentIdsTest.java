package io.idempotency.postgres;

import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RecentIdsTest {

    private final RecentIds ids = new RecentIds();

    @Test
    void containWhatWasAdded() {
        UUID id = UUID.randomUUID();

        assertThat(ids.add(id)).isFalse();
        assertThat(ids.add(id)).isTrue();
        assertThat(ids.add(UUID.fromString(id.toString()))).isTrue();
    }

    @Test
    void forgetOneForAnotherInTheSamePlace() {
        UUID first = new UUID(1, 7);
        UUID second = new UUID(2, 7);

        assertThat(Stream.of(first, second, first).map(ids::add)).containsOnly(false);
    }

    @Test
    void keepMostOfAThousand() {
        List<UUID> thousand = Stream.generate(UUID::randomUUID).limit(1_000).toList();

        assertThat(thousand).noneMatch(ids::add);
        assertThat(thousand.stream().filter(ids::add)).hasSizeGreaterThan(800);
    }
}
