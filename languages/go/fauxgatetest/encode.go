package fauxgatetest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

var (
	durationType = reflect.TypeOf(time.Duration(0))
	timeType     = reflect.TypeOf(time.Time{})
)

// encode returns the JSON of a body. A time.Duration becomes a number of ms, and a time.Time a timestamp, wherever they are. A
// gateway counts whole ms, so that others are errors.
func encode(body any) ([]byte, error) {
	if body == nil {
		return nil, nil
	}
	plain, err := toPlain(reflect.ValueOf(body))
	if err != nil {
		return nil, err
	}
	return json.Marshal(plain)
}

func toPlain(value reflect.Value) (any, error) {
	if !value.IsValid() {
		return nil, nil
	}
	switch value.Type() {
	case durationType:
		return wholeMs(time.Duration(value.Int()))
	case timeType:
		return timestamp(value.Interface().(time.Time))
	}
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		return toPlain(value.Elem())
	case reflect.Struct:
		return fieldsOf(value)
	case reflect.Map:
		plain := Object{}
		for each := value.MapRange(); each.Next(); {
			item, err := toPlain(each.Value())
			if err != nil {
				return nil, err
			}
			plain[fmt.Sprint(each.Key())] = item
		}
		return plain, nil
	case reflect.Slice, reflect.Array:
		plain := make([]any, value.Len())
		for index := range plain {
			item, err := toPlain(value.Index(index))
			if err != nil {
				return nil, err
			}
			plain[index] = item
		}
		return plain, nil
	}
	return value.Interface(), nil
}

// fieldsOf returns the fields of a struct that are set, by name in JSON.
func fieldsOf(value reflect.Value) (Object, error) {
	plain := Object{}
	for index := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(index).Tag.Get("json"), ",")
		if name == "" || name == "-" || value.Field(index).IsZero() {
			continue
		}
		item, err := toPlain(value.Field(index))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		plain[name] = item
	}
	return plain, nil
}

func wholeMs(duration time.Duration) (any, error) {
	if duration%time.Millisecond != 0 {
		return nil, fmt.Errorf("%v is not a whole number of milliseconds", duration)
	}
	return duration.Milliseconds(), nil
}

func timestamp(moment time.Time) (any, error) {
	if moment.Nanosecond()%int(time.Millisecond) != 0 {
		return nil, fmt.Errorf("%v is not a whole number of milliseconds", moment)
	}
	return moment.UTC().Format("2006-01-02T15:04:05.000Z"), nil
}

// setFields copies the fields of a struct that are set into another one of the same type.
func setFields(target, source any) {
	to, from := reflect.ValueOf(target).Elem(), reflect.ValueOf(source)
	for index := range from.NumField() {
		if field := from.Field(index); !field.IsZero() {
			to.Field(index).Set(field)
		}
	}
}

// Ptr returns a pointer to a value, for fields whose zero value means something: Fault{Truncate: Ptr(0)}.
func Ptr[T any](value T) *T { return &value }
