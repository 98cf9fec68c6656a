package io.idempotency.sample;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Tells whoever started the sample where it is and what to try. */
@Component
class Welcome {

    private static final Logger logger = LoggerFactory.getLogger(Welcome.class);

    private final JdbcConnectionDetails database;

    Welcome(JdbcConnectionDetails database) {
        this.database = database;
    }

    @EventListener
    void show(ApplicationReadyEvent ready) {
        String url = "http://localhost:"
                + ready.getApplicationContext().getEnvironment().getRequiredProperty("local.server.port");
        logger.info("The wallet is open at {}, its data is in {}", url, database.getJdbcUrl());
        logger.info("See what happens to each attempt: open {}/ in a browser", url);
        logger.info(
                "Pay twice, be charged once: curl -i {}/payments -H 'Idempotency-Key: order-42' -H 'Content-Type:"
                        + " application/json' -d '{\"accountId\":\"alice\",\"amountCents\":1250,\"currency\":\"EUR\","
                        + "\"reference\":\"order-42\"}'",
                url);
    }
}
