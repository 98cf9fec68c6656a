package io.idempotency.boot;

import org.mockito.Mockito;
import org.springframework.util.ClassUtils;

/** Recognizes the mocks by which tests of an application replace its beans. */
final class TestDoubles {

    private static final boolean MOCKITO_IS_PRESENT =
            ClassUtils.isPresent("org.mockito.Mockito", TestDoubles.class.getClassLoader());

    private TestDoubles() {}

    static boolean include(Object bean) {
        return MOCKITO_IS_PRESENT && Mocks.include(bean);
    }

    /** Loaded only where Mockito is on the class path. */
    private static final class Mocks {

        static boolean include(Object bean) {
            return Mockito.mockingDetails(bean).isMock();
        }
    }
}
