package io.idempotency.boot.slices;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.data.jdbc.test.autoconfigure.DataJdbcTest;

@DataJdbcTest
@Tag("full")
class DataJdbcSliceTest extends SliceTests {}
