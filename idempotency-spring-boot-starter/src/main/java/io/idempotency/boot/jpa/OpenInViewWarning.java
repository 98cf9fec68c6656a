package io.idempotency.boot.jpa;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** The warning about open-in-view. Duplicates wait without a connection, unless their request holds one already. */
final class OpenInViewWarning implements SmartInitializingSingleton {

    private static final Logger logger = LoggerFactory.getLogger(OpenInViewWarning.class);

    @Override
    public void afterSingletonsInstantiated() {
        logger.warn(
                "spring.jpa.open-in-view is on: a web request that has read something through JPA keeps its database"
                        + " connection while its idempotent call waits for another call with the same key, so a storm of"
                        + " duplicates can empty the connection pool. If that connection is lost, nothing can be"
                        + " repeated in the same request. Set spring.jpa.open-in-view=false unless views load"
                        + " entities lazily");
    }
}
