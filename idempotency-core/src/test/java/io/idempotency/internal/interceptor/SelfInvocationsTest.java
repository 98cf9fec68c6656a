package io.idempotency.internal.interceptor;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopContext;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;

import io.idempotency.Idempotent;
import io.idempotency.internal.operation.AnnotationOperationSource;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.test.Defaults;

import static org.assertj.core.api.Assertions.assertThat;

/** A call that an object makes of its own idempotent method is told, and no call that may have another receiver. */
class SelfInvocationsTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(SelfInvocations.class);

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    private final SelfInvocations selfInvocations = new SelfInvocations();

    @BeforeEach
    void listenToTheLog() {
        logger.setAdditive(false);
        logger.addAppender(log);
        log.start();
    }

    @AfterEach
    void leaveTheLog() {
        logger.detachAppender(log);
        logger.setAdditive(true);
    }

    @Test
    void bothMethodsAndWhatToDoAreTold() {
        warn(Told.class);

        assertThat(warnings())
                .containsExactly(Told.class.getName() + ".payAll(List, int[], Entry) calls " + Told.class.getName()
                        + ".pay(String) on 'this', past the bean's proxy: so called, the method has neither its @Idempotent"
                        + " nor the transaction that it declares. Unless its caller is idempotent, a repeat takes effect again. Calls from other beans"
                        + " are not affected. Move one of the two methods to another bean; or let the bean have itself"
                        + " injected with @Lazy, and call the method on that.");
    }

    @Test
    void aPairIsToldOnceHoweverManyBeansHaveIt() {
        warn(Told.class);
        warn(ToldInSubclass.class);
        warn(Told.class);

        assertThat(warnings()).hasSize(1);
    }

    @Test
    void callsOnThisAreFoundInEveryFormOfCode() {
        warn(Unprotected.class);

        assertThat(callers())
                .containsExactlyInAnyOrder(
                        "Unprotected",
                        "withBranchesInTheArguments",
                        "withWideArguments",
                        "inALoop",
                        "inTry",
                        "inCatch",
                        "inFinally",
                        "inASwitch",
                        "inALambda",
                        "inALambdaOfALambda",
                        "byReference",
                        "helper",
                        "byAStaticMethod",
                        "onACopyOfThis",
                        "onThisAsAnotherType",
                        "whileItIsLocked",
                        "another");
    }

    @Test
    void callsOnOtherObjectsAreNotTold() {
        warn(Protected.class);

        assertThat(warnings()).isEmpty();
    }

    @Test
    void inheritedAndGenericMethodsAreTheBeansOwn() {
        warn(Card.class);

        assertThat(callers())
                .containsExactlyInAnyOrder("ofSuperclass", "ofInterface", "privateInSuperclass", "bySuper");
    }

    @Test
    void aMethodThatASubclassReplacesIsNotTold() {
        warn(Delegating.class);

        assertThat(warnings()).isEmpty();
    }

    @Test
    void aClassFileThatCannotBeReadIsSkipped() throws Exception {
        byte[] file = Changed.bytesOf(Told.class.getName());

        warn(new Changed(null).loadClass(Told.class.getName()));
        warn(new Changed(new byte[0]).loadClass(Told.class.getName()));
        warn(new Changed(Arrays.copyOf(file, file.length / 2)).loadClass(Told.class.getName()));
        assertThat(warnings()).isEmpty();

        warn(new Changed(file).loadClass(Told.class.getName()));
        assertThat(warnings()).hasSize(1);
    }

    private void warn(Class<?> type) {
        AnnotationOperationSource source = new AnnotationOperationSource(
                value -> value, () -> Defaults.retention(Duration.ofMillis(1)), List.of());
        MethodIntrospector.MetadataLookup<IdempotentOperation> lookup = method -> source.findOperation(method, type);
        Map<Method, IdempotentOperation> operations = MethodIntrospector.selectMethods(type, lookup);
        assertThat(operations).isNotEmpty();
        selfInvocations.warn(type, operations.values());
    }

    private List<String> warnings() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    /** Returns the simple names of the methods that call. */
    private List<String> callers() {
        return warnings().stream()
                .map(warning -> warning.replaceFirst("\\(.*", "").replaceFirst(".*\\.", ""))
                .toList();
    }

    static class Told {

        @Idempotent(scope = "told", key = "#key")
        public void pay(String key) {}

        public void payAll(List<String> keys, int[] amounts, Map.Entry<String, String> entry) {
            keys.forEach(this::pay);
            pay(entry.getKey());
        }
    }

    static class ToldInSubclass extends Told {}

    static class Unprotected {

        private final Object lock = new Object();

        private final int found;

        Unprotected() {
            found = pay("constructor", 1, 2);
        }

        @Idempotent(scope = "unprotected", key = "#key")
        public int pay(String key, long amount, double rate) {
            return found;
        }

        @Idempotent(scope = "unprotected-other", key = "#key")
        public int another(String key) {
            return pay(key, 1, 1);
        }

        int withBranchesInTheArguments(@Nullable String key, boolean high) {
            return pay(key == null ? "none" : key.isEmpty() ? "empty" : key, high ? 10L : 1L, key == null ? 1 : 2);
        }

        int withWideArguments(long[] amounts, double rate) {
            return pay("wide" + amounts.length + rate, -amounts[0] * 3 + ((long) rate << 1), rate / 2 - amounts[1]);
        }

        void inALoop(List<String> keys) {
            for (String key : keys) {
                for (int i = 0; i < key.length(); i++) {
                    pay(key, i, i);
                }
            }
        }

        int inTry(String key) {
            try {
                return pay(key, 1, 1);
            } catch (IllegalStateException failed) {
                return 0;
            }
        }

        int inCatch(String key) {
            try {
                return Integer.parseInt(key);
            } catch (NumberFormatException failed) {
                return pay(key, 1, 1);
            }
        }

        void inFinally(String key) {
            try {
                Integer.parseInt(key);
            } finally {
                pay(key, 1, 1);
            }
        }

        int inASwitch(String key) {
            return switch (key) {
                case "a", "b" -> 1;
                case "c" ->
                    pay(
                            switch (key.length()) {
                                case 1 -> "one";
                                default -> "many";
                            },
                            1,
                            1);
                default -> throw new IllegalArgumentException(key);
            };
        }

        Supplier<Integer> inALambda(String key) {
            return () -> pay(key, 1, 1);
        }

        Callable<Supplier<Integer>> inALambdaOfALambda(String key) {
            return () -> () -> pay(key, 1, 1);
        }

        Optional<Integer> byReference(Optional<String> key) {
            return key.map(this::another);
        }

        void callsTheHelper(String key) {
            helper(key);
        }

        private void helper(String key) {
            this.pay(key, 1, 1);
        }

        void byAStaticMethod(String key) {
            payWith(this, key);
        }

        private static void payWith(Unprotected payments, String key) {
            payments.pay(key, 1, 1);
        }

        void onACopyOfThis(String key) {
            var copy = this;
            copy.pay(key, 1, 1);
        }

        void onThisAsAnotherType(String key) {
            ((Unprotected) (Object) this).pay(key, 1, 1);
        }

        void whileItIsLocked(String key) {
            synchronized (lock) {
                pay(key, 1, 1);
            }
        }
    }

    static class Protected {

        private Protected self = this;

        @Idempotent(scope = "protected", key = "#key")
        public int pay(String key, int left) {
            return left == 0 ? 0 : pay(key, left - 1);
        }

        int onItself(String key) {
            return self.pay(key, 1);
        }

        int onTheProxy(String key) {
            return ((Protected) AopContext.currentProxy()).pay(key, 1);
        }

        int onAParameter(Protected other, String key) {
            return other.pay(key, 1);
        }

        int onAnArgumentOfTheLambda(Optional<Protected> other, String key) {
            return other.map(each -> each.pay(key, 1)).orElse(0);
        }

        int onANewOne(String key) {
            return new Protected().pay(key, 1);
        }

        int onTheResultOfACall(String key) {
            return other().pay(key, 1);
        }

        private Protected other() {
            return self;
        }

        int onEither(boolean flag, String key) {
            return (flag ? this : self).pay(key, 1);
        }

        int onTheOtherOfEither(boolean flag, String key) {
            return (flag ? self : this).pay(key, 1);
        }

        int onEitherInAVariable(boolean flag, String key) {
            Protected either = this;
            if (flag) {
                either = self;
            }
            return either.pay(key, 1);
        }

        void onTheNext(List<Protected> others, String key) {
            Protected next = this;
            for (Protected other : others) {
                next.pay(key, 1);
                next = other;
            }
        }

        void onAnElement(Protected[] all, String key) {
            all[0] = this;
            all[1].pay(key, 1);
        }

        int byAStaticMethod(String key) {
            return payWith(self, key);
        }

        private static int payWith(Protected payments, String key) {
            return payments.pay(key, 1);
        }

        Supplier<Integer> byAReferenceToAnother(Protected other) {
            return other::onReference;
        }

        private int onReference() {
            return 0;
        }

        int anotherMethodOfItsName(long key) {
            return pay(key, 1);
        }

        int pay(long key, int left) {
            return left;
        }

        /** A proxy that is a subclass does not override it, so that it runs on the proxy. */
        final int ofAProxy(String key) {
            return pay(key, 1);
        }
    }

    interface Payments<T> {

        void pay(T order);

        default void ofInterface(T order) {
            pay(order);
        }

        default void replaced(T order) {
            pay(order);
        }
    }

    abstract static class AbstractPayments<T> implements Payments<T> {

        void ofSuperclass(T order) {
            pay(order);
        }

        private void privateInSuperclass(T order) {
            pay(order);
        }

        void callsPrivate(T order) {
            privateInSuperclass(order);
            hidden();
        }

        private void hidden() {}

        void overridden(T order) {
            pay(order);
        }

        @Idempotent(scope = "base", key = "#order.toString()")
        public void refund(T order) {}
    }

    static class Card extends AbstractPayments<String> {

        @Override
        @Idempotent(scope = "card", key = "#order")
        public void pay(String order) {}

        @Override
        void overridden(String order) {}

        @Override
        public void replaced(String order) {}

        void bySuper(String order) {
            super.refund(order);
        }

        @Idempotent(scope = "card-hidden", key = "'hidden'")
        public void hidden() {}
    }

    static class Delegating extends Told {

        @Override
        @Idempotent(scope = "delegating", key = "#key")
        public void pay(String key) {
            super.pay(key);
        }

        @Override
        public void payAll(List<String> keys, int[] amounts, Map.Entry<String, String> entry) {}

        void replacedByItself(String key) {
            super.pay(key);
        }
    }

    /** Gives another file of the class than the one that it is made of. */
    private static final class Changed extends ClassLoader {

        private final byte @Nullable [] shown;

        Changed(byte @Nullable [] shown) {
            super(SelfInvocationsTest.class.getClassLoader());
            this.shown = shown;
        }

        static byte[] bytesOf(String name) throws IOException {
            try (InputStream file = SelfInvocationsTest.class
                    .getClassLoader()
                    .getResourceAsStream(ClassUtils.convertClassNameToResourcePath(name) + ".class")) {
                return file.readAllBytes();
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Told.class.getName())) {
                return super.loadClass(name, resolve);
            }
            try {
                byte[] file = bytesOf(name);
                Class<?> known = findLoadedClass(name);
                return known == null ? defineClass(name, file, 0, file.length) : known;
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        @Override
        public @Nullable URL getResource(String name) {
            throw new UnsupportedOperationException(name);
        }

        @Override
        public @Nullable InputStream getResourceAsStream(String name) {
            return shown == null ? null : new ByteArrayInputStream(shown);
        }
    }
}
