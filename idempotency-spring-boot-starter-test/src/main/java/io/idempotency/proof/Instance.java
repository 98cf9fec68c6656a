package io.idempotency.proof;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.annotation.ParameterResolutionDelegate;
import org.springframework.beans.factory.config.AutowireCapableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** One instance of the application, on which the scenario is called. */
final class Instance {

    private static final long SETTLE_NANOS = 5_000_000_000L;

    private final ApplicationContext context;

    private final Object test;

    private final Method scenario;

    private final @Nullable Object[] arguments;

    private final Payload payload = new Payload();

    Instance(ApplicationContext context, Object test, Method scenario) {
        this.context = context;
        this.test = test;
        this.scenario = scenario;
        this.arguments = resolve(scenario.getParameters(), test.getClass(), context);
        ReflectionUtils.makeAccessible(scenario);
    }

    /** Returns an instance with a new object of the test class. */
    static Instance another(Class<?> testClass, ApplicationContext context, Method scenario) {
        return new Instance(context, newTest(testClass, context.getAutowireCapableBeanFactory()), scenario);
    }

    private static Object newTest(Class<?> testClass, AutowireCapableBeanFactory beans) {
        Constructor<?> constructor = testClass.getDeclaredConstructors()[0];
        @Nullable Object[] arguments = new @Nullable Object[constructor.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = i == 0 && ClassUtils.isInnerClass(testClass)
                    ? newTest(testClass.getEnclosingClass(), beans)
                    : ParameterResolutionDelegate.resolveDependency(
                            constructor.getParameters()[i], i, testClass, beans);
        }
        Object test = BeanUtils.instantiateClass(constructor, arguments);
        beans.autowireBean(test);
        return test;
    }

    private @Nullable Object[] resolve(Parameter[] parameters, Class<?> testClass, ApplicationContext beans) {
        @Nullable Object[] resolved = new @Nullable Object[parameters.length];
        for (int i = 0; i < parameters.length; i++) {
            resolved[i] = parameters[i].getType() == Payload.class
                    ? payload
                    : ParameterResolutionDelegate.resolveDependency(
                            parameters[i], i, testClass, beans.getAutowireCapableBeanFactory());
        }
        return resolved;
    }

    @Nullable Object call() throws Throwable {
        try {
            return scenario.invoke(test, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    @Nullable Object callWithAnotherPayload() throws Throwable {
        payload.beOther(true);
        try {
            return call();
        } finally {
            payload.beOther(false);
        }
    }

    /** Waits until its pools of threads have no work left. */
    void awaitIdle() {
        long end = System.nanoTime() + SETTLE_NANOS;
        for (ThreadPoolTaskExecutor executor :
                context.getBeansOfType(ThreadPoolTaskExecutor.class).values()) {
            ThreadPoolExecutor threads = executor.getThreadPoolExecutor();
            while ((threads.getActiveCount() > 0 || !threads.getQueue().isEmpty()) && System.nanoTime() < end) {
                LockSupport.parkNanos(1_000_000L);
            }
        }
    }
}
