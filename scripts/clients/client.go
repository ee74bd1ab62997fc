// Calls ngrok's official Go client as the lines of its input say: see scripts/clients/drivers.mjs, which also writes the
// file with `clients`, since the families differ between versions.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/ngrok/ngrok-api-go/VERSION"
)

type asked struct {
	Call, Family, ID, Key, Limit, URL string
	Body                         json.RawMessage
}

var ctx = context.Background()

// argument makes what a method takes of what was asked: an id, or a struct read from JSON.
func argument(kind reflect.Type, it asked) reflect.Value {
	if kind.Kind() == reflect.String {
		return reflect.ValueOf(it.ID)
	}
	made := reflect.New(kind.Elem())
	body := it.Body
	if it.Call == "list" {
		body, _ = json.Marshal(map[string]string{"limit": it.Limit})
	}
	if len(body) > 0 {
		if err := json.Unmarshal(body, made.Interface()); err != nil {
			panic(err)
		}
	}
	if id := made.Elem().FieldByName("ID"); id.IsValid() && id.Kind() == reflect.String && it.ID != "" {
		id.SetString(it.ID)
	}
	return made
}

func items(list reflect.Value) (found []any, err error) {
	for list.MethodByName("Next").Call([]reflect.Value{reflect.ValueOf(ctx)})[0].Bool() {
		found = append(found, list.MethodByName("Item").Call(nil)[0].Interface())
	}
	err, _ = list.MethodByName("Err").Call(nil)[0].Interface().(error)
	return found, err
}

func called(method reflect.Value, it asked) (answer any, err error) {
	given := argument(method.Type().In(method.Type().NumIn()-1), it)
	if it.Call == "list" {
		return items(method.Call([]reflect.Value{given})[0])
	}
	results := method.Call([]reflect.Value{reflect.ValueOf(ctx), given})
	err, _ = results[len(results)-1].Interface().(error)
	if len(results) > 1 {
		answer = results[0].Interface()
	}
	return answer, err
}

func answerTo(it asked) map[string]any {
	client, known := clients(ngrok.NewClientConfig(it.Key, ngrok.WithBaseURL(it.URL)))[it.Family]
	if !known {
		return map[string]any{"unknown": true}
	}
	method := reflect.ValueOf(client).MethodByName(strings.ToUpper(it.Call[:1]) + it.Call[1:])
	if !method.IsValid() {
		return map[string]any{"unknown": true}
	}
	answer, err := called(method, it)
	var refused *ngrok.Error
	if errors.As(err, &refused) {
		return map[string]any{"error": map[string]any{"status": refused.StatusCode, "code": refused.ErrorCode}}
	}
	if err != nil {
		return map[string]any{"failure": err.Error()}
	}
	return map[string]any{"answer": answer}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var it asked
		if err := json.Unmarshal(lines.Bytes(), &it); err != nil {
			panic(err)
		}
		line, _ := json.Marshal(answerTo(it))
		fmt.Println(string(line))
	}
}
