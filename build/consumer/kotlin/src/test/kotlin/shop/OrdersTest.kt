package shop

import io.idempotency.IdempotencyOperations
import io.idempotency.Idempotent
import io.idempotency.KeyReusedException
import io.idempotency.MissingIdempotencyKeyException
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith
import org.springframework.beans.factory.annotation.Autowired
import org.springframework.boot.SpringApplication
import org.springframework.boot.test.context.SpringBootTest
import org.springframework.boot.test.system.CapturedOutput
import org.springframework.boot.test.system.OutputCaptureExtension
import org.springframework.jdbc.core.simple.JdbcClient
import org.springframework.transaction.annotation.Transactional

@SpringBootTest
@ExtendWith(OutputCaptureExtension::class)
class OrdersTest(
    @param:Autowired private val orders: Orders,
    @param:Autowired private val operations: IdempotencyOperations,
    @param:Autowired private val jdbc: JdbcClient,
) {

    @BeforeEach
    fun emptyTables() {
        jdbc.sql("truncate purchase, idempotency.idempotency_request").update()
    }

    @Test
    fun `a repeat with a value class as key and default arguments gets the same data class`() {
        val first = orders.place(OrderId("o-1"), Order("book", 900))
        val repeat = orders.place(OrderId("o-1"), Order("book", 900))

        assertThat(repeat).isEqualTo(first)
        assertThat(purchases()).isEqualTo(1)
    }

    @Test
    fun `another payload under the key is refused`() {
        orders.place(OrderId("o-2"), Order("book", 900))

        assertThatThrownBy { orders.place(OrderId("o-2"), Order("book", 901)) }
            .isInstanceOf(KeyReusedException::class.java)
        assertThat(purchases()).isEqualTo(1)
    }

    @Test
    fun `null is a response, and no key`() {
        orders.place(OrderId("o-3"), Order("book", 900))

        assertThat(orders.cancel("c-1", "book")).isNull()
        orders.place(OrderId("o-4"), Order("book", 900))
        assertThat(orders.cancel("c-1", "book")).isNull()

        assertThat(purchases()).isEqualTo(1)
        assertThatThrownBy { orders.cancel(null, "book") }.isInstanceOf(MissingIdempotencyKeyException::class.java)
    }

    @Test
    fun `a lambda runs once, and its generic response keeps its type`() {
        val gifts = Gifts(operations, jdbc)
        val first = gifts.give("g-1", listOf("book", "pen"))

        assertThat(gifts.give("g-1", listOf("book", "pen"))).isEqualTo(first)
        assertThat(purchases()).isEqualTo(2)
    }

    @Test
    fun `a suspending method is refused with a report`(output: CapturedOutput) {
        start(Suspending::class.java)

        assertThat(output).contains("Suspending.place", "is a suspend function of Kotlin", "Remove suspend")
    }

    @Test
    fun `a method that returns a Result is refused with a report`(output: CapturedOutput) {
        start(Resulting::class.java)

        assertThat(output).contains("Resulting.place-", "Kotlin's Result cannot be stored")
    }

    @Test
    fun `a key that is a property of a value class is refused with a report`(output: CapturedOutput) {
        start(Unwrapping::class.java)

        assertThat(output).contains("java.lang.String has no 'value'", "A value class of Kotlin is its value here")
    }

    @Test
    fun `a method that is not open is refused with a report`(output: CapturedOutput) {
        start(Final::class.java)

        assertThat(output).contains("Final.place", "In Kotlin: declare class and method open")
    }

    private fun purchases() = jdbc.sql("select count(*) from purchase").query(Int::class.java).single()

    private fun start(service: Class<*>) {
        assertThatThrownBy { SpringApplication(Shop::class.java, service).run("--server.port=0") }
            .isInstanceOf(RuntimeException::class.java)
    }
}

open class Suspending {

    @Transactional
    @Idempotent(scope = "suspending", key = "#id")
    open suspend fun place(id: String): String = id
}

open class Resulting {

    @Transactional
    @Idempotent(scope = "resulting", key = "#id")
    open fun place(id: String): Result<String> = Result.success(id)
}

open class Unwrapping {

    @Transactional
    @Idempotent(scope = "unwrapping", key = "#id.value")
    open fun place(id: OrderId): String = id.value
}

class Final {

    @Transactional
    @Idempotent(scope = "final", key = "#id")
    fun place(id: String): String = id
}
