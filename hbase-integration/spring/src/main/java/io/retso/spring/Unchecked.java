package io.retso.spring;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;

/**
 * A table whose methods, and those of what they return, throw Spring's exceptions in the place of
 * {@code IOException}s. A proxy: HBase's interface has some sixty methods, and gets new ones.
 */
final class Unchecked implements InvocationHandler {
  /** Whether a type has methods of its own that throw them: scanners, builders, other tables. */
  private static final ClassValue<Boolean> THROWS =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return type.isInterface()
              && Arrays.stream(type.getMethods())
                  .anyMatch(
                      method -> List.of(method.getExceptionTypes()).contains(IOException.class));
        }
      };

  private final Object target;

  private Unchecked(Object target) {
    this.target = target;
  }

  /**
   * The target behind such a proxy.
   *
   * @param type an interface
   */
  static <T> T of(Class<T> type, T target) {
    return type.cast(wrapped(type, target));
  }

  private static Object wrapped(Class<?> type, Object target) {
    Class<?>[] types = {type};
    return Proxy.newProxyInstance(type.getClassLoader(), types, new Unchecked(target));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    Object result;
    try {
      result = method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() instanceof IOException io ? Failures.of(io) : e.getCause();
    }
    Class<?> type = method.getReturnType();
    if (result == target && type.isInstance(proxy)) {
      return proxy; // a builder, which goes on
    }
    return result != null && THROWS.get(type) ? wrapped(type, result) : result;
  }
}
