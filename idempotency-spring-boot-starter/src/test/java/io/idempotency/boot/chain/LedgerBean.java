package io.idempotency.boot.chain;

import org.springframework.beans.factory.annotation.Autowired;

/** Has the ledger, so that the beans under test show nothing but their annotations. */
abstract class LedgerBean {

    @Autowired
    Ledger ledger;
}
