package io.idempotency.boot.slices;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;

@DataJpaTest
@Tag("full")
class DataJpaSliceTest extends SliceTests {}
