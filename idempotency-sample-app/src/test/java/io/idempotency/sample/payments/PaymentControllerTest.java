package io.idempotency.sample.payments;

import java.time.Instant;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MockMvcTester.MockMvcRequestBuilder;

import io.idempotency.IdempotencyKey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.verifyNoInteractions;

/** The controller by itself, without a database: keys are read and refused as in the whole application. */
@WebMvcTest(PaymentController.class)
class PaymentControllerTest {

    private static final PaymentRequest REQUEST = new PaymentRequest("alice", 1250L, Currency.EUR, "order-42");

    private static final Payment PAYMENT = new Payment(
            UUID.fromString("b2b0c5d6-0d5e-4a73-8a44-6d4b2f6f0a11"),
            "alice",
            1250,
            Currency.EUR,
            "order-42",
            PaymentStatus.COMPLETED,
            Instant.parse("2024-02-29T12:00:00Z"));

    @Autowired
    private MockMvcTester mvc;

    @MockitoBean
    private PaymentService payments;

    @Test
    void theKeyOfTheHeaderReachesTheService() {
        given(payments.pay(new IdempotencyKey("order-42"), REQUEST)).willReturn(PAYMENT);

        assertThat(payment().header("Idempotency-Key", "\"order-42\""))
                .hasStatus(201)
                .hasHeader("Location", "/payments/" + PAYMENT.paymentId());
    }

    @Test
    void aMissingKeyIsRefusedBeforeTheService() {
        assertThat(payment())
                .hasStatus(400)
                .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                .bodyJson()
                .extractingPath("$.type")
                .isEqualTo("urn:problem-type:idempotency:missing-key");
        verifyNoInteractions(payments);
    }

    private MockMvcRequestBuilder payment() {
        return mvc.post()
                .uri("/payments")
                .contentType(MediaType.APPLICATION_JSON)
                .content(
                        "{\"accountId\":\"alice\",\"amountCents\":1250,\"currency\":\"EUR\",\"reference\":\"order-42\"}");
    }
}
