package io.idempotency.sample.accounts;

import com.fasterxml.jackson.annotation.JsonValue;

/** What can happen to an account. */
public enum AccountEventType {

    /** It begins, with money on it. */
    OPENED("opened", 1),

    /** Money was put in. */
    DEPOSITED("deposited", 1),

    /** Money was taken out. */
    WITHDRAWN("withdrawn", -1),

    /** Something was paid. */
    PAID("paid", -1),

    /** Money was taken out to be sent elsewhere. */
    PAYOUT("payout", -1),

    /** Money that could not be sent elsewhere came back. */
    PAYOUT_RETURNED("payout-returned", 1);

    private final String text;

    private final int sign;

    AccountEventType(String text, int sign) {
        this.text = text;
        this.sign = sign;
    }

    static AccountEventType of(String text) {
        for (AccountEventType type : values()) {
            if (type.text.equals(text)) {
                return type;
            }
        }
        throw new IllegalArgumentException("No type of events: " + text);
    }

    /**
     * What it is called in JSON and in the database.
     *
     * @return a word
     */
    @JsonValue
    public String text() {
        return text;
    }

    /**
     * How an amount changes the balance.
     *
     * @param amountCents the amount, as it is told
     * @return the same, negative if the money leaves
     */
    public long signed(long amountCents) {
        return sign * amountCents;
    }
}
