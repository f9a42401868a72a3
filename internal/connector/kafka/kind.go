package kafka

import "ubik/internal/connector"

// Kind is the connector's entry in the program's list.
var Kind = connector.Kind{
	Name:       "kafka",
	Schemes:    []string{"kafka"},
	Doc:        "A topic of Apache Kafka: kafka://host1:9092,host2:9092/topic. Sources take ?compacted=yes, sinks ?partitions=N. Client properties: -X name=value.",
	Unbounded:  true,
	Replayable: true,
	NewSource:  newSource,
	NewSink:    newSink,
}

func newSource(url string, o *connector.Options) (connector.Source, error) {
	l, err := newLink(url, o, roleSource)
	if err != nil {
		return nil, err
	}
	return openableSource(l, o), nil
}

func newSink(url string, o *connector.Options) (connector.Sink, error) {
	l, err := newLink(url, o, roleSink)
	if err != nil {
		return nil, err
	}
	return openableSink(l, o), nil
}
