package io.idempotency.boot.jpa;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Version;
import org.hibernate.annotations.Generated;

/** An entity of which the database and Hibernate fill in something, but not before the flush. */
@Entity
class Booking {

    @Id
    @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "booking_id")
    @SequenceGenerator(name = "booking_id", sequenceName = "booking_id", allocationSize = 1)
    private Long id;

    @Version
    private Integer version;

    /** Unique, which is checked when it is written. */
    private String seat;

    @Generated
    @Column(insertable = false)
    private String status;

    @Generated
    @Column(insertable = false)
    private String xid;

    protected Booking() {}

    Booking(String seat) {
        this.seat = seat;
    }

    public Long getId() {
        return id;
    }

    public Integer getVersion() {
        return version;
    }

    public String getSeat() {
        return seat;
    }

    public String getStatus() {
        return status;
    }

    public String getXid() {
        return xid;
    }

    void moveTo(String otherSeat) {
        seat = otherSeat;
    }
}
