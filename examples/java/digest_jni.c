/* The native methods of Digest.java.
 *
 *   cc -shared -fPIC -I$JAVA_HOME/include -I$JAVA_HOME/include/linux \
 *     digest_jni.c $(pkg-config --cflags --libs headrace) -o libdigest_jni.so
 */
#include <jni.h>
#include <stdlib.h>

#include "headrace/c.h"

struct Batch {
  struct ArrowArray array;
  struct ArrowSchema schema;
};

static void Throw(JNIEnv* env, headrace_error* error) {
  jclass type = (*env)->FindClass(env, "java/lang/RuntimeException");
  if (type != NULL) (*env)->ThrowNew(env, type, error->message);
  headrace_error_free(error);
}

JNIEXPORT jlong JNICALL Java_Digest_open(JNIEnv* env, jclass type,
                                         jobjectArray paths) {
  const jsize n = (*env)->GetArrayLength(env, paths);
  const char** names = calloc((size_t)n + 1, sizeof(*names));
  headrace_reader* reader = NULL;
  headrace_error* error = NULL;
  (void)type;
  for (jsize i = 0; names != NULL && i < n; ++i) {
    jstring path = (*env)->GetObjectArrayElement(env, paths, i);
    names[i] = (*env)->GetStringUTFChars(env, path, NULL);
  }
  headrace_open(names, (size_t)n, NULL, &reader, &error);
  for (jsize i = 0; names != NULL && i < n; ++i) {
    jstring path = (*env)->GetObjectArrayElement(env, paths, i);
    if (names[i] != NULL) (*env)->ReleaseStringUTFChars(env, path, names[i]);
  }
  free(names);
  if (error != NULL) Throw(env, error);
  return (jlong)(intptr_t)reader;
}

JNIEXPORT jlongArray JNICALL Java_Digest_next(JNIEnv* env, jclass type,
                                              jlong reader) {
  struct Batch* batch = calloc(1, sizeof(*batch));
  headrace_error* error = NULL;
  (void)type;
  if (batch == NULL) return NULL;
  headrace_next((headrace_reader*)(intptr_t)reader, &batch->array,
                &batch->schema, &error);
  if (error != NULL) Throw(env, error);
  if (batch->array.release == NULL) { /* the end, or an error */
    free(batch);
    return NULL;
  }
  const jlong addresses[] = {(jlong)(intptr_t)&batch->array,
                             (jlong)(intptr_t)&batch->schema};
  jlongArray pair = (*env)->NewLongArray(env, 2);
  if (pair != NULL) (*env)->SetLongArrayRegion(env, pair, 0, 2, addresses);
  return pair;
}

JNIEXPORT void JNICALL Java_Digest_release(JNIEnv* env, jclass type,
                                           jlong array, jlong schema) {
  struct Batch* batch = (struct Batch*)(intptr_t)array;
  (void)env, (void)type, (void)schema;
  batch->array.release(&batch->array);
  batch->schema.release(&batch->schema);
  free(batch);
}

JNIEXPORT void JNICALL Java_Digest_close(JNIEnv* env, jclass type,
                                         jlong reader) {
  (void)env, (void)type;
  headrace_close((headrace_reader*)(intptr_t)reader);
}

JNIEXPORT jobject JNICALL Java_Digest_memory(JNIEnv* env, jclass type,
                                             jlong address, jlong size) {
  (void)type;
  return (*env)->NewDirectByteBuffer(env, (void*)(intptr_t)address, size);
}
