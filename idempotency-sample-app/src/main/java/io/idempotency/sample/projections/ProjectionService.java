package io.idempotency.sample.projections;

import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

import io.idempotency.sample.accounts.AccountEvent;
import io.idempotency.sample.accounts.AccountEventStream;
import io.idempotency.sample.accounts.AccountEventStream.Entry;

/** Looks at projections and builds them anew. */
@Service
class ProjectionService {

    private static final Logger logger = LoggerFactory.getLogger(ProjectionService.class);

    private static final int BATCH = 500;

    private final List<Projection> projections;

    private final GenerationStore generations;

    private final AccountEventStream stream;

    ProjectionService(List<Projection> projections, GenerationStore generations, AccountEventStream stream) {
        this.projections = projections.stream()
                .sorted(Comparator.comparing(Projection::name))
                .toList();
        this.generations = generations;
        this.stream = stream;
    }

    List<ProjectionStatus> findAll() {
        return projections.stream().map(this::status).toList();
    }

    private ProjectionStatus status(Projection projection) {
        Generations now = generations.of(projection.name());
        Progress progress = projection.progress(now.serving());
        OffsetDateTime last = progress.lastAppliedAt();
        return new ProjectionStatus(
                projection.name(),
                now.serving(),
                now.building(),
                last == null ? null : last.toInstant(),
                progress.lag());
    }

    /**
     * Builds a generation from the start and lets it take the place of the one before, while deliveries go on to both. If
     * this does not come to its end, nothing that answers has changed, and the next rebuild begins with another generation.
     */
    Rebuild rebuild(String name) {
        Projection projection = projections.stream()
                .filter(candidate -> candidate.name().equals(name))
                .findAny()
                .orElseThrow(() -> new ProjectionNotFoundException(name));
        int generation = generations.begin(name);
        long events = replay(projection, generation);
        if (!generations.serve(name, generation)) {
            projection.deleteBefore(generations.of(name).serving());
            throw new RebuildSupersededException(name, generation);
        }
        logger.info("{} is answered by generation {}, made of {} events", name, generation, events);
        // Never a later one: whoever stood still before this may find that another rebuild has begun, or is done.
        // A delivery under way may still write to an old one; what that leaves goes with the next rebuild.
        projection.deleteBefore(generation);
        return new Rebuild(name, generation, events);
    }

    private long replay(Projection projection, int generation) {
        long events = 0;
        List<Entry> batch = stream.readAfter(0, BATCH);
        while (!batch.isEmpty()) {
            List<AccountEvent> next = batch.stream().map(Entry::event).toList();
            projection.replay(generation, next);
            events += next.size();
            batch = stream.readAfter(batch.get(batch.size() - 1).sequence(), BATCH);
        }
        return events;
    }
}
