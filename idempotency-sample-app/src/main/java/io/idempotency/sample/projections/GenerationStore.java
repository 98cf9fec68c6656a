package io.idempotency.sample.projections;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Which generations there are. */
@Repository
class GenerationStore {

    private static final String FIND = "select serving, building from projection where name = :name";

    private static final String BEGIN = """
            update projection
            set building = coalesce(building, serving) + 1
            where name = :name
            returning building""";

    /** Finds no row if another rebuild has begun meanwhile. */
    private static final String SERVE = """
            update projection
            set serving = building, building = null
            where name = :name and building = :generation""";

    private final JdbcClient jdbc;

    GenerationStore(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    Generations of(String name) {
        return jdbc.sql(FIND).param("name", name).query(Generations.class).single();
    }

    /** From when this is committed, deliveries go to the new generation as well. */
    int begin(String name) {
        return jdbc.sql(BEGIN).param("name", name).query(Integer.class).single();
    }

    boolean serve(String name, int generation) {
        return jdbc.sql(SERVE)
                        .param("name", name)
                        .param("generation", generation)
                        .update()
                == 1;
    }
}
