package io.idempotency.sample.database;

import jakarta.validation.constraints.NotBlank;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.validation.annotation.Validated;

/**
 * The database that the sample brings along.
 *
 * @param directory where its data is kept from one start to the next; a relative path starts in the working directory
 */
@ConfigurationProperties("sample.database")
@Validated
record DatabaseProperties(@NotBlank String directory) {}
