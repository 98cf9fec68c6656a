package io.idempotency.boot.interleaving;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.test.util.ReflectionTestUtils;

/**
 * Resumes the calls that are due on the thread of an actor. No API offers this, so that what does it is taken out of the bean that
 * would do it in the background, here alone.
 */
final class Resumer {

    private final Object resumer;

    private Resumer(Object runner) {
        this.resumer = ReflectionTestUtils.getField(runner, "resumer");
    }

    void resumeAll() {
        BooleanSupplier goesOn = () -> true;
        Executor ofThisThread = Runnable::run;
        ReflectionTestUtils.invokeMethod(resumer, "resumeAll", goesOn, ofThisThread);
    }

    /** Takes the place of the bean, so that nothing starts it. */
    static final class Replacing implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return name.equals("idempotencyResumeRunner") ? new Resumer(bean) : bean;
        }
    }
}
