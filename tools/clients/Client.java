// Calls ngrok's official Java client as the lines of its input describe: see tools/clients/drivers.mjs.

import com.fasterxml.jackson.databind.ObjectMapper;
import com.ngrok.DefaultNgrokApiClient;
import com.ngrok.Ngrok;
import com.ngrok.definitions.NgrokApiError;
import com.ngrok.definitions.Page;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URI;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.*;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

public class Client {
  private static final ObjectMapper JSON = new ObjectMapper().findAndRegisterModules();

  private static final Map<String, Ngrok> CLIENTS = new HashMap<>();

  public static void main(String[] arguments) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (var line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println(JSON.writeValueAsString(handle(JSON.readValue(line, Map.class))));
    }
    System.exit(0);
  }

  private static Map<String, Object> handle(Map<String, Object> request) throws Exception {
    if (request.get("call").equals("methods")) return Map.of("answer", methods(Ngrok.class, ""));
    Object client = CLIENTS.computeIfAbsent((String) request.get("key"), (key) ->
        new Ngrok(DefaultNgrokApiClient.newBuilder(key).baseUri(URI.create((String) request.get("url"))).build()));
    for (var name : ((String) request.get("family")).split("\\.")) {
      var part = methodOf(client.getClass(), camel(name), 0);
      if (part == null) return Map.of("unknown", true);
      client = invoke(part, client);
    }
    try {
      return answered(call(client, request));
    } catch (CompletionException failed) {
      if (!(failed.getCause() instanceof NgrokApiError)) return Map.of("failure", failed.toString());
      var error = (NgrokApiError) failed.getCause();
      return Map.of("error", Map.of("status", error.getHttpStatusCode(), "code", error.getErrorCode().orElse("")));
    }
  }

  private static Map<String, Object> answered(Optional<Object> answer) {
    return answer == null ? Map.of("unknown", true) : Collections.singletonMap("answer", answer.orElse(null));
  }

  /** Returns the names of all methods that make a call, by their families. A namespace has families. */
  private static Map<String, List<String>> methods(Class<?> place, String path) {
    var found = new TreeMap<String, List<String>>();
    for (var method : place.getMethods()) {
      var result = method.getReturnType();
      if (Modifier.isStatic(method.getModifiers())) continue;
      if (result.getSimpleName().endsWith("CallBuilder")) {
        found.computeIfAbsent(path, (family) -> new ArrayList<>()).add(snake(method.getName()));
      } else if (result.getName().startsWith("com.ngrok") && method.getParameterCount() == 0) {
        found.putAll(methods(result, path.isEmpty() ? snake(method.getName()) : path + "." + snake(method.getName())));
      }
    }
    return found;
  }

  /** Returns null if the client has no such call. */
  private static Optional<Object> call(Object client, Map<String, Object> request) throws Exception {
    var values = new LinkedHashMap<String, Object>((Map<String, Object>) request.getOrDefault("body", Map.of()));
    for (var name : List.of("id", "limit")) if (request.containsKey(name)) values.put(name, request.get(name));
    var start = methodOf(client.getClass(), camel((String) request.get("call")), -1);
    if (start == null) return null;
    var builder = built(start, client, values);
    var answer = ((CompletionStage<?>) invoke(builder.getClass().getMethod("call"), builder)).toCompletableFuture().join();
    return Optional.ofNullable(answer instanceof Page ? items((Page<?>) answer) : read(answer));
  }

  /** Starts a builder with the values that it demands, which are its final fields, and passes it the rest by name. */
  private static Object built(Method start, Object on, Map<String, Object> values) throws Exception {
    var types = start.getGenericParameterTypes();
    var demanded = new ArrayList<Object>();
    for (var field : start.getReturnType().getDeclaredFields()) {
      if (field.isSynthetic() || !Modifier.isFinal(field.getModifiers())) continue;
      var type = types[demanded.size()];
      var value = values.get(snake(field.getName()));
      demanded.add(converted(value == null ? blank(field.getType()) : value, type));
    }
    var builder = start.invoke(on, demanded.toArray());
    for (var value : values.entrySet()) {
      for (var method : builder.getClass().getMethods()) {
        if (!method.getName().equals(camel(value.getKey())) || method.getParameterCount() != 1) continue;
        var type = method.getParameterTypes()[0];
        // The client sends a time as a number, which the service refuses.
        if (type == Optional.class || type == OffsetDateTime.class || value.getValue() == null) continue;
        method.invoke(builder, converted(value.getValue(), method.getGenericParameterTypes()[0]));
      }
    }
    return builder;
  }

  /** Returns the value of a demanded parameter that is not sent. */
  private static Object blank(Class<?> type) {
    if (type == List.class) return List.of();
    if (type == boolean.class) return false;
    if (type.isPrimitive()) return 0;
    return type.getName().startsWith("java.") && type != Map.class ? "" : Map.of();
  }

  private static Object converted(Object value, Type type) throws Exception {
    if (type instanceof ParameterizedType && value instanceof List) {
      var converted = new ArrayList<Object>();
      for (var each : (List<?>) value) {
        converted.add(converted(each, ((ParameterizedType) type).getActualTypeArguments()[0]));
      }
      return converted;
    }
    if (type == String.class || type instanceof ParameterizedType || !(value instanceof Map)) {
      return JSON.convertValue(value, JSON.constructType(type));
    }
    var builder = built(methodOf((Class<?>) type, "newBuilder", -1), null, new LinkedHashMap<>((Map<String, Object>) value));
    return invoke(builder.getClass().getMethod("build"), builder);
  }

  private static List<Object> items(Page<?> first) throws Exception {
    var found = new ArrayList<Object>();
    for (Optional<Page<?>> page = Optional.of(first); page.isPresent(); ) {
      var list = page.get().getPage();
      for (var method : list.getClass().getMethods()) {
        if (method.getReturnType() == List.class) found.addAll((List<Object>) read(invoke(method, list)));
      }
      page = (Optional<Page<?>>) (Optional<?>) page.get().next().toCompletableFuture().join();
    }
    return found;
  }

  /** Returns all fields that an object of the client shows. */
  private static Object read(Object value) throws Exception {
    if (value instanceof Optional) return read(((Optional<?>) value).orElse(null));
    if (value instanceof OffsetDateTime) return ((OffsetDateTime) value).toInstant().toString();
    if (value instanceof Duration) return ((Duration) value).toSeconds();
    if (value instanceof URI) return value.toString();
    if (value instanceof List) {
      var read = new ArrayList<Object>();
      for (var each : (List<?>) value) read.add(read(each));
      return read;
    }
    if (value == null || !value.getClass().getName().startsWith("com.ngrok")) return value;
    var read = new TreeMap<String, Object>();
    for (var method : value.getClass().getMethods()) {
      if (!method.getName().startsWith("get") || method.getName().equals("getClass")) continue;
      read.put(snake(method.getName().substring(3)), read(invoke(method, value)));
    }
    return read;
  }

  private static Method methodOf(Class<?> type, String name, int parameters) {
    for (var method : type.getMethods()) {
      if (method.getName().equals(name) && (parameters < 0 || method.getParameterCount() == parameters)) return method;
    }
    return null;
  }

  private static Object invoke(Method method, Object on) throws Exception {
    method.setAccessible(true);
    return method.invoke(on);
  }

  private static String snake(String name) {
    return name.replaceAll("(?<!^)([A-Z])", "_$1").toLowerCase();
  }

  private static String camel(String name) {
    var camel = new StringBuilder();
    for (var part : name.split("_")) camel.append(part.substring(0, 1).toUpperCase()).append(part.substring(1));
    return camel.substring(0, 1).toLowerCase() + camel.substring(1);
  }
}
