package io.idempotency.boot.slices;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;

@JdbcTest
@Tag("full")
class JdbcSliceTest extends SliceTests {}
