package io.idempotency.boot.upgrade;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.context.ConfigurableApplicationContext;

import io.idempotency.KeyReusedException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Two versions of an application on one database, as they are while one replaces the other. */
@PostgresTest(empty = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RollingUpgradeTest {

    private final TestDatabase database;

    private final ConfigurableApplicationContext older;

    private final ConfigurableApplicationContext newer;

    RollingUpgradeTest(TestDatabase database) {
        this.database = database;
        older = start(OlderShipping.class);
        database.jdbc().execute("create table shipped (item text not null)");
        newer = start(NewerShipping.class, RenamedPackaging.class);
    }

    private ConfigurableApplicationContext start(Class<?>... services) {
        return JdbcTestApplication.start(database, services);
    }

    @BeforeEach
    void empty() {
        database.jdbc().execute("truncate shipped, idempotency.idempotency_request");
    }

    @AfterEach
    void oneEffect() {
        assertThat(database.jdbc().queryForList("select item from shipped", String.class))
                .containsExactly("lamp");
    }

    @Test
    void aMemberThatTheNewerVersionAddedIsNullInAReplayOfTheOlderOne() {
        OlderShipping.Shipment shipped = older().ship(new OlderShipping.Order("lamp"));

        assertThat(newer().ship(new NewerShipping.Order("lamp", null)))
                .isEqualTo(new NewerShipping.Shipment(shipped.number(), shipped.shippedAt(), null));
    }

    @Test
    void anOptionalMemberOfTheRequestIsNoOtherPayloadUntilItIsGiven() {
        older().ship(new OlderShipping.Order("lamp"));

        assertThatThrownBy(() -> newer().ship(new NewerShipping.Order("lamp", "a ribbon")))
                .isInstanceOf(KeyReusedException.class);
        assertThat(newer().ship(new NewerShipping.Order("lamp", null))).isNotNull();
    }

    @Test
    void aCallWithoutAResultIsReplayedAsNull() {
        older().stamp(new OlderShipping.Order("lamp"));

        assertThat(newer().stamp(new NewerShipping.Order("lamp", null))).isNull();
    }

    @Test
    void aLeasedVersionAndOneWithoutLeasesReplayEachOther() {
        older().book(new OlderShipping.Order("lamp"));
        assertThat(newer().book(new NewerShipping.Order("lamp", null))).isEqualTo("booked");

        empty();
        older().takeBack(new OlderShipping.Order("lamp"));
        assertThat(newer().takeBack(new NewerShipping.Order("lamp", null))).isEqualTo("taken back");
    }

    @Test
    void aMethodMayMoveAndGetAnotherNameAsLongAsItKeepsItsScope() {
        older().pack(new OlderShipping.Order("lamp"));

        assertThat(newer.getBean(RenamedPackaging.class).wrap(new NewerShipping.Order("lamp", null)))
                .isEqualTo("lamp in a box");
    }

    @Test
    void anAnswerThatTheNewerVersionCannotReadIsRefusedAndTheMethodDoesNotRun() {
        older().count(new OlderShipping.Order("lamp"));

        assertThatThrownBy(() -> newer().count(new NewerShipping.Order("lamp", null)))
                .isInstanceOf(UnreadableResponseException.class);
        assertThat(older().count(new OlderShipping.Order("lamp"))).isEqualTo("one");
    }

    private OlderShipping older() {
        return older.getBean(OlderShipping.class);
    }

    private NewerShipping newer() {
        return newer.getBean(NewerShipping.class);
    }
}
